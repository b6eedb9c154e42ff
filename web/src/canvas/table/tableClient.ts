/** Client of the table worker: reports progress and sends requests. */
import type { MessageFromWorker, MessageToWorker, Progress, TableRequest, TableResults } from "./protocol";

interface PendingRequest {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

export class TableClient {
  private readonly worker = new Worker(new URL("./table.worker.ts", import.meta.url), { type: "module" });
  private readonly pending = new Map<number, PendingRequest>();
  private lastId = 0;

  constructor(
    private readonly onProgress: (progress: Progress) => void,
    private readonly onError: (message: string) => void,
  ) {
    this.worker.onmessage = ({ data }: MessageEvent<MessageFromWorker>) => this.receive(data);
    this.worker.onerror = () => onError("Can't read this table.");
  }

  open(url: string, size: number, mime: string): void {
    this.send({ type: "open", source: { url: new URL(url, location.href).href, size, mime } });
  }

  /** Open a text with comma-separated values. */
  openText(text: string): void {
    this.send({ type: "open", source: { text } });
  }

  request<R extends TableRequest>(request: R): Promise<TableResults[R["method"]]> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send({ type: "request", id, ...request });
    });
  }

  close(): void {
    this.worker.terminate();
  }

  private send(message: MessageToWorker): void {
    this.worker.postMessage(message);
  }

  private receive(message: MessageFromWorker): void {
    if (message.type === "progress") return this.onProgress(message.progress);
    const request = message.id === undefined ? undefined : this.pending.get(message.id);
    if (message.id !== undefined) this.pending.delete(message.id);
    if (message.type === "result") request?.resolve(message.result as never);
    else if (request) request.reject(new Error(message.message));
    else this.onError(message.message);
  }
}
