import { useEffect, useState } from "react";
import { texts } from "../texts";

import { api, unwrap } from "../api/client";
import type { FileRecord } from "../api/types";
import { Versions } from "../files/Versions";
import { formatSize } from "../shared/format";
import "./canvas.css";
import { DownloadButton } from "./DownloadButton";
import { type Item, itemFromFile } from "./item";
import { FileView } from "./Panes";
import { onShowFile } from "./showFile";
import { useAsync } from "./useAsync";

/** A file in a browser tab of its own, at `/?file={key}&version={number}`. */
export default function FilePage({ address }: { address: URLSearchParams }) {
  const state = useAsync(address.toString(), () => fetchFile(address));
  if (state.status === "loading") return <p className="starting">{texts.app.loading}</p>;
  if (state.status === "failed") return <p className="starting">{state.message}</p>;
  return <ShownFile file={state.value} />;
}

function ShownFile({ file }: { file: FileRecord }) {
  const [item, setItem] = useState<Item>(() => itemFromFile(file));
  useEffect(() => onShowFile((version) => setItem(itemFromFile(version))), []);
  useEffect(() => {
    document.title = item.name;
  }, [item.name]);
  return (
    <main className="canvas file-page">
      <header className="canvas-bar">
        <h1 title={item.name}>{item.name}</h1>
        <span className="faint pane-size">{formatSize(item.size)}</span>
        <Versions key={item.version} {...item} floating />
        <DownloadButton item={item} compact />
      </header>
      <FileView key={item.version} item={item} />
    </main>
  );
}

async function fetchFile(address: URLSearchParams): Promise<FileRecord> {
  const version = Number(address.get("version")) || undefined;
  const params = { path: { file_key: address.get("file") ?? "" }, query: { content: false, ...(version && { version }) } };
  return unwrap(api.GET("/api/files/{file_key}", { params }));
}
