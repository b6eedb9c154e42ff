import { explain } from "./toasts";

/** What to say of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Do something at a person's wish, and say so where it fails. */
export async function tellingErrors(work: () => Promise<void>): Promise<void> {
  await work().catch(explain);
}
