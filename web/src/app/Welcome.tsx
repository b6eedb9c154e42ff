import { api, unwrap } from "../api/client";
import type { Config, FileRecord, Tool, ToolServer } from "../api/types";
import { useAsync } from "../canvas/useAsync";
import { fullName } from "../chat/findOffers";
import { NO_MODEL } from "../chat/modelLabel";
import { Icon, iconForMime } from "../shared/Icon";
import { firstSentence, toWords } from "../tools/description";
import { fieldsOfSchema } from "../tools/schemaFields";
import { useServers } from "../tools/useServers";
import { texts } from "../texts";
import "./welcome.css";

interface WelcomeProps {
  config: Config;
  /** The chosen model. */
  model: string;
  onTool(tool: Tool): void;
  onFile(file: FileRecord): void;
  /** Whether the chat will be a temporary one. */
  isTemporary: boolean;
  setTemporary(temporary: boolean): void;
}

const MAX_CARDS = 4;
const MAX_FILES = 5;

/** First screen of a chat: what the page is for, tools to run, and the newest files. */
export default function Welcome({ config, model, onTool, onFile, isTemporary, setTemporary }: WelcomeProps) {
  const servers = useServers();
  const cards = servers.status === "loaded" ? chooseCards(servers.value) : [];
  const files = useAsync("newest files", fetchNewestFiles);
  return (
    <div className="welcome">
      <h2>{texts.welcome.title}</h2>
      <p>{texts.welcome.intro}</p>
      {hasNoModel(config) && (
        <p className="no-model">
          {texts.welcome.noModel}
          <code>SATCHEL_MODEL</code>
          {texts.welcome.noModelEnd}
        </p>
      )}
      {!hasNoModel(config) && model === NO_MODEL && <p className="no-model">{texts.welcome.noModelChosen}</p>}
      <label className="temporary row">
        <input type="checkbox" role="switch" checked={isTemporary} onChange={(event) => setTemporary(event.target.checked)} />
        <span>
          {texts.sessions.temporary} <span className="faint">{texts.sessions.temporaryHint}</span>
        </span>
      </label>
      {cards.length > 0 && (
        <div className="cards" role="group" aria-label={texts.welcome.tools}>
          {cards.map(({ tool, server }) => (
            <button key={fullName(tool)} type="button" className="card" onClick={() => onTool(tool)}>
              <strong>
                {server}: {tool.title || toWords(tool.name)}
              </strong>
              <span className="faint">{firstSentence(tool.description ?? "")}</span>
            </button>
          ))}
        </div>
      )}
      {/* The cards would move files that are shown before them, under the pointer. */}
      {servers.status !== "loading" && files.status === "loaded" && files.value.length > 0 && (
        <div className="recent" role="group" aria-label={texts.welcome.recentFiles}>
          {files.value.map((file) => (
            <button
              key={file.file_key}
              type="button"
              className="attachment"
              aria-label={texts.welcome.attach(file.name)}
              onClick={() => onFile(file)}
            >
              <Icon name={iconForMime(file.mime)} />
              <span className="name">{file.name}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Return true if the only model is the built-in substitute, which answers with the output of tools. */
function hasNoModel({ models }: Config): boolean {
  return models.every(({ name }) => name === NO_MODEL);
}

interface Card {
  tool: Tool;
  /** The title of its server, because tools of different servers have the same names. */
  server: string;
}

/** Longer names are of tools for special cases. */
const MAX_SIMPLE_NAME = 12;

/** Return tools for the cards: of different servers if possible, simple ones that only read, of a file or with few arguments. */
function chooseCards(servers: readonly ToolServer[]): Card[] {
  const rank = ({ tool }: Card): number => {
    const required = fieldsOfSchema(tool.input_schema ?? {}).filter((field) => field.isRequired);
    const inputs = required.some((field) => field.kind === "file") ? 0 : required.length + 1;
    return inputs + (tool.hints?.read_only === true ? 0 : 1) + (tool.name.length > MAX_SIMPLE_NAME ? 1 : 0);
  };
  const cards = servers.flatMap(({ name, title, status, tools }) =>
    (status === "ready" ? tools : []).filter((tool) => tool.for_model !== false).map((tool) => ({ tool, server: toWords(title || name) })),
  );
  const ranked = cards.sort((one, other) => rank(one) - rank(other));
  const firstOfServer = ranked.filter(({ tool }) => ranked.find((other) => other.tool.server === tool.server)?.tool === tool);
  return [...new Set([...firstOfServer, ...ranked])].slice(0, MAX_CARDS);
}

async function fetchNewestFiles(): Promise<FileRecord[]> {
  return (await unwrap(api.GET("/api/files", { params: { query: { limit: MAX_FILES } } }))).files;
}
