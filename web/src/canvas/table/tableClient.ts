/** A table as the page sees it: what is known so far, and answers to questions. */
import type { Answers, FromWorker, Progress, Question, ToWorker } from "./protocol";

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

export class TableClient {
  private readonly worker = new Worker(new URL("./table.worker.ts", import.meta.url), { type: "module" });
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  constructor(
    private readonly onProgress: (progress: Progress) => void,
    private readonly onFailure: (message: string) => void,
  ) {
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    this.worker.onerror = () => onFailure("The table could not be read.");
  }

  open(address: string, size: number, mime: string): void {
    this.send({ type: "open", address: new URL(address, location.href).href, size, mime });
  }

  ask<Q extends Question>(question: Q): Promise<Answers[Q["ask"]]> {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ type: "question", id, ...question });
    });
  }

  close(): void {
    this.worker.terminate();
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private hear(said: FromWorker): void {
    if (said.type === "progress") return this.onProgress(said.progress);
    const asked = said.id === undefined ? undefined : this.waiting.get(said.id);
    if (said.id !== undefined) this.waiting.delete(said.id);
    if (said.type === "answer") asked?.resolve(said.answer as never);
    else if (asked) asked.reject(new Error(said.message));
    else this.onFailure(said.message);
  }
}
