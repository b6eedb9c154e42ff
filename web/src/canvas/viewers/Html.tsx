import { useMemo } from "react";

import { Shown } from "../Shown";
import type { ViewerProps } from ".";
import Code from "./Code";
import { framed } from "./sandbox";
import { countTags } from "./tags";
import { useText } from "./useFile";

const MOST_BYTES = 8 << 20;
/** The sanitiser looks at each: more would hold the page up. */
const MOST_TAGS = 5_000;

/** HTML in a frame without scripts, forms, requests and ways out; where it is too much for that, its source. */
export default function Html({ item }: ViewerProps) {
  const loaded = useText(item, MOST_BYTES);
  return (
    <Shown item={item} loaded={loaded}>
      {({ text, whole }) =>
        whole && countTags(text, MOST_TAGS) <= MOST_TAGS ? <Frame title={item.title} html={text} /> : <Code item={item} />
      }
    </Shown>
  );
}

function Frame({ title, html }: { title: string; html: string }) {
  const source = useMemo(() => framed(html), [html]);
  return <iframe className="viewer-frame" title={title} sandbox="" srcDoc={source} referrerPolicy="no-referrer" />;
}
