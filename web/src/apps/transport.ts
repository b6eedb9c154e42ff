/** JSON-RPC over `postMessage` with one frame of one origin. The SDK's own transport sends to any origin. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

export class FrameTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Messages that arrived before the start; null after it. */
  private early: JSONRPCMessage[] | null = [];

  /** Listen from now on, so that no message is lost while the bridge loads. */
  constructor(
    private readonly frame: Window,
    private readonly origin: string,
  ) {
    addEventListener("message", this.listen);
  }

  async start(): Promise<void> {
    const early = this.early ?? [];
    this.early = null;
    for (const message of early) this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.frame.postMessage(message, this.origin);
  }

  async close(): Promise<void> {
    removeEventListener("message", this.listen);
    this.onclose?.();
  }

  protected receive(message: JSONRPCMessage): void {
    if (this.early) this.early.push(message);
    else this.onmessage?.(message);
  }

  private readonly listen = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== this.frame || origin !== this.origin) return;
    if (typeof data === "object" && data !== null && "jsonrpc" in data) this.receive(data as JSONRPCMessage);
  };
}
