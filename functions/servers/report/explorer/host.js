/** The host that shows this page: JSON-RPC over postMessage, as MCP Apps (SEP-1865) defines it. */
class Host {
  constructor(handlers) {
    this.handlers = handlers;
    this.pending = new Map();
    this.lastId = 0;
    addEventListener("message", (event) => {
      if (event.source === parent && event.data?.jsonrpc === "2.0") this.receive(event.data);
    });
  }

  async connect() {
    const { hostContext } = await this.request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: "CSV explorer", version: "1.0.0" },
      appCapabilities: {},
    });
    this.handlers.context(hostContext ?? {});
    this.notify("ui/notifications/initialized", {});
  }

  /** Resolves to the result. Rejects with the host's error. */
  request(method, params) {
    this.lastId += 1;
    const id = this.lastId;
    this.send({ id, method, params });
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  notify(method, params) {
    this.send({ method, params });
  }

  send(message) {
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  receive({ id, method, params, result, error }) {
    if (method === undefined) {
      const waiting = this.pending.get(id);
      this.pending.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    } else if (id !== undefined) {
      this.send({ id, result: {} }); // ping, and the notice that the page will be closed
    } else if (method === "ui/notifications/tool-result") {
      this.handlers.result(params);
    } else if (method === "ui/notifications/host-context-changed") {
      this.handlers.context(params);
    }
  }
}
