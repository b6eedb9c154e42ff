import { announce, showError } from "./notifications";

/** Copy a text to the clipboard, and tell screen readers. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied.");
  } catch (error) {
    showError(error);
  }
}
