// The sounds of a move: a click when the tile is laid, and a note when it makes points.

const LOUDNESS = 0.15;
let audio = null;

export function sound(hasPoints) {
  if (!navigator.userActivation.hasBeenActive) return; // a browser refuses to sound before that
  audio ??= new AudioContext();
  tone("square", 140, 0, 0.05);
  if (hasPoints) tone("sine", 660, 0.1, 0.5);
}

/** A tone that begins after a delay and dies away, in seconds. */
function tone(type, frequency, delay, seconds) {
  const [source, gain] = [new OscillatorNode(audio, { type, frequency }), new GainNode(audio)];
  const start = audio.currentTime + delay;
  gain.gain.setValueAtTime(LOUDNESS, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  source.connect(gain).connect(audio.destination);
  source.start(start);
  source.stop(start + seconds);
}
