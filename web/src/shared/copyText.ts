import { announce, showError } from "./notifications";
import { texts } from "../texts";

/** Copy a text to the clipboard, and tell screen readers. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(texts.shared.copied);
  } catch (error) {
    showError(error);
  }
}
