/** What the frame of an app may do, from what its server declared. */
import type { OpenApp } from "../api/types";
import { buildPolicy } from "./policy";
import type { FrameRights } from "./sandboxFrame";

/** Return the rights of an app. Its policy never has the origins of this page and of the frame. */
export function rightsOf({ policy, writes_clipboard }: Pick<OpenApp["state"], "policy" | "writes_clipboard">, origin: string): FrameRights {
  return { origin, policy: buildPolicy(policy, [location.origin, origin]), writesClipboard: writes_clipboard };
}

/** Return the rights of an app whose server declared nothing. */
export function rightsWithout(origin: string): FrameRights {
  const policy = { connect_domains: [], resource_domains: [], frame_domains: [], base_uri_domains: [] };
  return rightsOf({ policy, writes_clipboard: false }, origin);
}
