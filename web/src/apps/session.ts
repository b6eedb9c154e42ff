/** Host side of one running app: the official bridge, and this page's handler for each message of the app. */
import {
  AppBridge,
  type McpUiDisplayMode,
  type McpUiHostCapabilities,
  type McpUiHostContext,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallToolResult, JSONRPCMessage } from "@modelcontextprotocol/client";
import type { OpenApp } from "../api/types";
import type { CallFailure } from "../canvas/item";
import type { AppFiles, Offered } from "./files";
import { DISPLAY_MODES } from "./hostContext";
import type { FrameTransport } from "./transport";

/** A request of the app that the user must allow. */
export type Question =
  | { kind: "link"; url: string }
  | { kind: "message"; text: string }
  | { kind: "download"; files: readonly Offered[] };

/** Services of the page for the app. */
export interface AppHost {
  context(mode: McpUiDisplayMode): McpUiHostContext;
  setHeight(height: number): void;
  setMode(mode: McpUiDisplayMode): void;
  /** Return true if the user is using the app at this moment. */
  isInUse(): boolean;
  /** Ask the user; resolves to true if the user allows the request. */
  ask(question: Question): Promise<boolean>;
  callTool(name: string, args: Record<string, unknown>): Promise<CallToolResult>;
  sendMessage(text: string): Promise<void>;
  setModelContext(text: string): void;
  openLink(url: string): void;
  /** The files of the app's calls. */
  files: AppFiles;
  saveFiles(files: readonly Offered[]): Promise<void>;
  log(text: string): void;
  onReady(): void;
  /** The app asked to be closed, or has left its page. */
  onEnd(): void;
}

/** The call that opens an app. */
export interface CallOfApp {
  app: OpenApp;
  /** False while the call runs. */
  hasResult: boolean;
  /** Null while the call runs, and after its success. */
  failure: CallFailure | null;
}

const HOST = { name: "Satchel", version: "1" };
const CAPABILITIES: McpUiHostCapabilities = {
  openLinks: {},
  downloadFile: {},
  logging: {},
  updateModelContext: { text: {}, structuredContent: {} },
  message: { text: {} },
};
const MAX_TEXT = 20_000;
const MAX_DOWNLOADS = 10;
const TEARDOWN_MS = 500;
const SIZE_INTERVAL_MS = 100;

type Content = { type: string; text?: unknown };

export class AppSession {
  private readonly bridge: AppBridge;
  private lastSizeAt = 0;
  private pendingSize: ReturnType<typeof setTimeout> | undefined;
  private isInitialized = false;
  private hasEnd = false;

  constructor(
    private readonly transport: FrameTransport,
    /** Null for a dashboard, which has its page and data from a site of its own. */
    private call: CallOfApp | null,
    private readonly host: AppHost,
    private mode: McpUiDisplayMode = "inline",
  ) {
    this.bridge = new AppBridge(null, HOST, { ...CAPABILITIES, ...(call && { serverTools: {}, serverResources: {} }) }, { hostContext: host.context(this.mode) });
    this.register();
  }

  /** Handle the messages of the frame, beginning with those that have arrived. A dashboard's first came before its transport. */
  async start(first?: JSONRPCMessage): Promise<void> {
    await this.bridge.connect(this.transport);
    if (first) this.transport.onmessage?.(first);
  }

  /** Tell the app how its call has ended, once. */
  setCall(call: CallOfApp): void {
    this.call = call;
    if (!this.isInitialized || this.hasEnd) return;
    const { app, hasResult, failure } = call;
    this.hasEnd = hasResult || failure !== null;
    if (hasResult) void this.bridge.sendToolResult(this.host.files.link(app.state.result as CallToolResult, app.files ?? []));
    else if (failure?.isResult) void this.bridge.sendToolResult({ content: [{ type: "text", text: failure.message }], isError: true });
    else if (failure) void this.bridge.sendToolCancelled({ reason: failure.message });
  }

  /** Tell the app that its surroundings have changed. */
  update(mode: McpUiDisplayMode = this.mode): void {
    this.mode = mode;
    this.bridge.setHostContext(this.host.context(mode));
  }

  /** Let the app finish, for half a second at most, and stop listening. */
  async close(): Promise<void> {
    clearTimeout(this.pendingSize);
    await this.bridge.teardownResource({}, { timeout: TEARDOWN_MS }).catch(() => undefined);
    await this.bridge.close();
  }

  private register(): void {
    const { bridge, host } = this;
    const app = this.call?.app ?? null;
    bridge.oninitialized = () => {
      this.isInitialized = true;
      if (this.call) {
        void bridge.sendToolInput({ arguments: this.call.app.arguments as Record<string, unknown> });
        this.setCall(this.call);
      }
      host.onReady();
    };
    bridge.onsizechange = ({ height }) => this.resize(height);
    bridge.onrequestteardown = () => {
      void this.close().then(() => host.onEnd());
    };
    bridge.onloggingmessage = ({ level, data }) => {
      host.log(`${level}: ${(typeof data === "string" ? data : JSON.stringify(data)).slice(0, MAX_TEXT)}`);
    };
    bridge.onrequestdisplaymode = async ({ mode }) => {
      // An app that the user does not use must not cover the page.
      const isAllowed = DISPLAY_MODES.includes(mode) && (mode === "inline" || (app !== null && host.isInUse()));
      if (isAllowed) host.setMode(mode);
      return { mode: isAllowed ? mode : this.mode };
    };
    bridge.onopenlink = async ({ url }) => {
      if (!isWebUrl(url)) return { isError: true };
      const { href } = new URL(url); // as the browser understands it, for example without disguised letters
      if (!(await host.ask({ kind: "link", url: href }))) return { isError: true };
      host.openLink(href);
      return {};
    };
    bridge.onmessage = async ({ content }) => {
      const text = toText(content);
      if (!text || !(await host.ask({ kind: "message", text }))) return { isError: true };
      await host.sendMessage(text);
      return {};
    };
    bridge.onupdatemodelcontext = async ({ content, structuredContent }) => {
      const structured = structuredContent === undefined ? [] : [JSON.stringify(structuredContent)];
      host.setModelContext([toText(content ?? []), ...structured].filter(Boolean).join("\n").slice(0, MAX_TEXT));
      return {};
    };
    bridge.ondownloadfile = async ({ contents }) => {
      const files = contents.slice(0, MAX_DOWNLOADS).flatMap((content) => toOffered(content, host.files));
      if (files.length === 0 || !(await host.ask({ kind: "download", files }))) return { isError: true };
      await host.saveFiles(files);
      return {};
    };
    if (!app) return;
    bridge.onlistresources = async () => ({ resources: host.files.list() });
    bridge.onreadresource = ({ uri }) => host.files.read(uri);
    bridge.oncalltool = ({ name, arguments: args }) => host.callTool(name, args ?? {});
  }

  /** Pass on the last size of each tenth of a second. */
  private resize(height: number | undefined): void {
    if (height === undefined || !Number.isFinite(height)) return;
    clearTimeout(this.pendingSize);
    const wait = Math.max(0, this.lastSizeAt + SIZE_INTERVAL_MS - performance.now());
    this.pendingSize = setTimeout(() => {
      this.lastSizeAt = performance.now();
      this.host.setHeight(height);
    }, wait);
  }
}

export function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function toText(content: readonly Content[]): string {
  const texts = content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  return texts.join("\n").slice(0, MAX_TEXT);
}

interface FileContent {
  type: string;
  resource?: { uri: string; mimeType?: string; text?: string; blob?: string };
}

/** Return the file of an embedded resource, or of a link to a file of the app's calls. Other links are no files. */
function toOffered(content: unknown, files: AppFiles): Offered[] {
  const { type, resource, uri } = content as FileContent & { uri?: string };
  const file = type === "resource_link" && uri ? files.get(uri) : undefined;
  if (file) return [{ name: file.name, size: file.size, file }];
  if (type !== "resource" || !resource) return [];
  const bytes =
    typeof resource.text === "string"
      ? new TextEncoder().encode(resource.text)
      : Uint8Array.from(atob(resource.blob ?? ""), (char) => char.charCodeAt(0));
  const name = decodeURIComponent(resource.uri.split(/[?#]/)[0]?.split("/").at(-1) || "file");
  return [{ name, size: bytes.length, mime: resource.mimeType ?? "application/octet-stream", bytes }];
}
