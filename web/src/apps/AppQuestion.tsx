import { Dialog } from "../shared/Dialog";
import { formatSize } from "../shared/format";
import type { Question } from "./session";
import { useGuard } from "./useGuard";

interface AppQuestionProps {
  title: string;
  /** Name of the app's server in this deployment, which no server chooses. */
  server: string;
  question: Question;
  answer(allowed: boolean): void;
}

/** Ask the user whether an app may open a link, send a message or save files. */
export function AppQuestion({ title, server, question, answer }: AppQuestionProps) {
  const isGuarded = useGuard(question);
  const { heading, action } = LABELS[question.kind];
  return (
    <Dialog title={heading} onClose={() => answer(false)}>
      <p>
        The app{" "}
        <strong>
          <bdi>{title.slice(0, MAX_TITLE)}</bdi>
        </strong>{" "}
        of <strong>{server}</strong> asks for this.
      </p>
      <Details question={question} />
      <form method="dialog" className="row end">
        <button type="submit" autoFocus>
          Deny
        </button>
        <button type="button" className="primary" disabled={isGuarded} onClick={() => answer(true)}>
          {action}
        </button>
      </form>
    </Dialog>
  );
}

const MAX_TITLE = 80;
const LABELS = {
  link: { heading: "Open a link?", action: "Open" },
  message: { heading: "Send a message?", action: "Send" },
  download: { heading: "Save files?", action: "Save" },
};

function Details({ question }: { question: Question }) {
  if (question.kind === "link") return <p className="app-quote">{question.url}</p>;
  if (question.kind === "message") return <pre className="app-quote">{question.text}</pre>;
  return (
    <ul>
      {question.files.map((file, index) => (
        <li key={index}>
          {file.name} ({formatSize(file.size)})
        </li>
      ))}
    </ul>
  );
}
