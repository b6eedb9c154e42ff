/** The outer frame of an app. It loads without the code of the bridge, and may load before the app is known. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { FrameTransport } from "./transport";

/** Everything that decides what a page in the frame may do. A frame is never used for other rights than it was made with. */
export interface FrameRights {
  /** Origin that serves nothing but the frame for apps. */
  origin: string;
  /** Content security policy, which comes with the document of the frame. */
  policy: string;
  writesClipboard: boolean;
}

const READY = "ui/notifications/sandbox-proxy-ready";
const RESOURCE = "ui/notifications/sandbox-resource-ready";

export class SandboxFrame extends FrameTransport {
  private html: string | null = null;
  private isReady = false;

  private constructor(
    readonly element: HTMLIFrameElement,
    page: Window,
    readonly rights: FrameRights,
  ) {
    super(page, rights.origin);
  }

  /** Begin to load the frame as the last child of `parent`. It shows nothing before it gets a page. */
  static open(rights: FrameRights, parent: Element): SandboxFrame {
    const element = document.createElement("iframe");
    element.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    if (rights.writesClipboard) element.allow = "clipboard-write";
    element.referrerPolicy = "no-referrer";
    parent.append(element);
    if (!element.contentWindow) throw new Error("The page of this app is not in a document.");
    const frame = new SandboxFrame(element, element.contentWindow, rights);
    element.src = `${rights.origin}/?csp=${encodeURIComponent(rights.policy)}`; // after the frame's listener is there
    return frame;
  }

  /** Show the page of an app in an inner frame. */
  show(html: string): void {
    this.html = html;
    this.sendPage();
  }

  /** Remove the frame from the document and stop listening. */
  remove(): void {
    this.element.remove();
    void this.close();
  }

  protected override receive(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== READY) return super.receive(message);
    this.isReady = true;
    this.sendPage();
  }

  private sendPage(): void {
    if (!this.isReady || this.html === null) return;
    const permissions = this.rights.writesClipboard ? { clipboardWrite: {} } : {};
    void this.send({ jsonrpc: "2.0", method: RESOURCE, params: { html: this.html, permissions } });
  }
}
