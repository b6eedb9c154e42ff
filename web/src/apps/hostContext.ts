/** Context that an app gets about the page: theme, colors, locale, size and display modes. Nothing about the user. */
import type { McpUiDisplayMode, McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { OpenApp } from "../api/types";

export const DISPLAY_MODES: McpUiDisplayMode[] = ["inline", "fullscreen", "pip"];

/** The page's own variables by the standard names. */
const VARIABLES = {
  "--color-background-primary": "--page",
  "--color-background-secondary": "--raised",
  "--color-text-primary": "--text",
  "--color-text-secondary": "--faint",
  "--color-text-danger": "--danger",
  "--color-text-warning": "--warn",
  "--color-border-primary": "--line",
  "--color-ring-primary": "--accent",
} as const;

/** Return the context. Without an app, as for dashboards, it names no tool. */
export function buildHostContext(app: OpenApp | null, box: Element, mode: McpUiDisplayMode): McpUiHostContext {
  const style = getComputedStyle(document.documentElement);
  const variables = Object.fromEntries(
    Object.entries(VARIABLES).map(([name, own]) => [name, style.getPropertyValue(own).trim() || undefined]),
  );
  const { width, height } = box.getBoundingClientRect();
  return {
    ...(app && { toolInfo: { ...(app.call_id && { id: app.call_id }), tool: toTool(app) } }),
    theme: isDark() ? "dark" : "light",
    styles: { variables: variables as never },
    displayMode: mode,
    availableDisplayModes: DISPLAY_MODES,
    containerDimensions: { width: Math.round(width), maxHeight: Math.round(height) },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "satchel",
    platform: "web",
    deviceCapabilities: { touch: matchMedia("(pointer: coarse)").matches, hover: matchMedia("(hover: hover)").matches },
    safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
  };
}

const DARK = "(prefers-color-scheme: dark)";

/** Call `onChange` if the theme, the language or the size of the box changes. Return the function that stops. */
export function watchSurroundings(box: Element, onChange: () => void): () => void {
  const theme = matchMedia(DARK);
  const observer = new ResizeObserver(onChange);
  observer.observe(box);
  theme.addEventListener("change", onChange);
  addEventListener("languagechange", onChange);
  return () => {
    observer.disconnect();
    theme.removeEventListener("change", onChange);
    removeEventListener("languagechange", onChange);
  };
}

function isDark(): boolean {
  return matchMedia(DARK).matches;
}

function toTool({ tool, tool_name }: OpenApp) {
  const name = tool?.name ?? tool_name.slice(tool_name.lastIndexOf(".") + 1);
  return {
    name,
    ...(tool?.title && { title: tool.title }),
    ...(tool?.description && { description: tool.description }),
    inputSchema: { type: "object" as const, ...(tool?.input_schema as object) },
  };
}
