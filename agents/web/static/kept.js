// What a browser keeps for the next visit, as texts by name; some keep nothing, as in the frame of a notebook.

export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* it is forgotten */ }
}
