import { useEffect, useState } from "react";
import { Dialog } from "../shared/Dialog";
import { formatSize } from "../shared/format";
import type { Question } from "./session";

interface AppQuestionProps {
  title: string;
  question: Question;
  answer(allowed: boolean): void;
}

/** The user may be about to click into the app: a click that hits the new dialog by accident allows nothing. */
const GUARD_MS = 600;

/** Ask the user whether an app may open a link, send a message or save files. */
export function AppQuestion({ title, question, answer }: AppQuestionProps) {
  const [isGuarded, setGuarded] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS);
    return () => clearTimeout(timer);
  }, []);
  const { heading, action } = LABELS[question.kind];
  return (
    <Dialog title={heading} onClose={() => answer(false)}>
      <p>
        The app <strong>{title}</strong> asks for this.
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
          {file.name} ({formatSize(file.bytes.length)})
        </li>
      ))}
    </ul>
  );
}
