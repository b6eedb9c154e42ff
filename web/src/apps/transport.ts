/** JSON-RPC over `postMessage` with one frame of one origin. The SDK's own transport sends to any origin. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

export class FrameTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(
    private readonly frame: Window,
    private readonly origin: string,
  ) {}

  async start(): Promise<void> {
    addEventListener("message", this.receive);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.frame.postMessage(message, this.origin);
  }

  async close(): Promise<void> {
    removeEventListener("message", this.receive);
    this.onclose?.();
  }

  private readonly receive = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== this.frame || origin !== this.origin) return;
    if (typeof data === "object" && data !== null && "jsonrpc" in data) this.onmessage?.(data as JSONRPCMessage);
  };
}
