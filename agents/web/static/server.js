// The connection to the server: it is made again when it breaks, and the game goes on.

const RETRY_MS = 1000;

export class Server {
  /** `listeners`: opened(), lost(), and one for each type of message. */
  constructor(listeners) {
    this.listeners = listeners;
    this.connect();
  }

  connect() {
    const address = new URL("game", location.href);
    address.protocol = "ws:";
    address.hash = "";
    this.socket = new WebSocket(address);
    this.socket.onopen = () => this.listeners.opened();
    this.socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      this.listeners[message.type](message);
    };
    this.socket.onclose = () => {
      this.listeners.lost();
      setTimeout(() => this.connect(), RETRY_MS);
    };
  }

  send(type, content = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...content }));
  }
}
