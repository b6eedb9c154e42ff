import { api, unwrap } from "../api/client";
import type { ToolServer } from "../api/types";
import { type AsyncState, useAsync } from "../canvas/useAsync";

/** Load the servers that the user may use, with their tools. */
export function useServers(): AsyncState<readonly ToolServer[]> {
  return useAsync("tools", async () => (await unwrap(api.GET("/api/tools"))).servers);
}
