import type { ComponentType } from "react";

import { texts } from "../../texts";
import { PreviewError } from "../PreviewState";
import { useAsync } from "../useAsync";
import type { ViewerProps } from "./types";

type View = ComponentType<ViewerProps>;

/**
 * Return a viewer whose code is loaded with its first file. `lazy` of React would show it later: React waits 300 ms
 * before it replaces the fallback of a Suspense boundary.
 */
export function onDemand(load: () => Promise<{ default: View }>): View {
  let loaded: View | null = null;
  const loadOnce = async () => {
    loaded ??= (await load()).default;
  };
  return function OnDemand(props: ViewerProps) {
    const state = useAsync("code", loadOnce);
    if (loaded) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    if (state.status === "failed") return <PreviewError item={props.item} message={texts.canvas.noPreview} />;
    return <p className="viewer-message">{texts.app.loading}</p>;
  };
}
