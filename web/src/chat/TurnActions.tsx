import { useEffect, useState } from "react";
import { api, unwrap } from "../api/client";
import { copyText } from "../shared/copyText";
import { Icon } from "../shared/Icon";
import { showError } from "../shared/notifications";
import { modelLabel } from "./modelLabel";
import { toSpeech } from "./speech";
import { answerText, type Turn } from "./turn";
import { texts } from "../texts";

interface TurnActionsProps {
  turn: Turn;
  onRetry(turn: Turn): void;
  onEdit(turn: Turn): void;
  /** Asks for the rest of the answer; null if another turn follows. */
  onContinue: (() => void) | null;
}

/** Line below an ended turn: copy, retry and edit it; when, by which model and with how many tokens it was answered. */
export function TurnActions({ turn, onRetry, onEdit, onContinue }: TurnActionsProps) {
  const answer = answerText(turn);
  return (
    <div className="turn-actions row" role="group" aria-label={texts.turn.actions}>
      {answer && (
        <button type="button" className="plain" title={texts.turn.copyTitle} onClick={() => void copyText(answer)}>
          <Icon name="copy" /> {texts.turn.copy}
        </button>
      )}
      {answer && canSpeak() && <ReadAloud text={answer} />}
      <button type="button" className="plain" title={texts.turn.retryTitle} onClick={() => onRetry(turn)}>
        <Icon name="retry" /> {texts.turn.retry}
      </button>
      <button type="button" className="plain" title={texts.turn.editTitle} onClick={() => onEdit(turn)}>
        <Icon name="edit" /> {texts.turn.edit}
      </button>
      {answer && onContinue && (
        <button type="button" className="plain" title={texts.turn.continueTitle} onClick={onContinue}>
          <Icon name="send" /> {texts.turn.continue}
        </button>
      )}
      {answer && <Rating turn={turn} />}
      <span className="facts-line faint">{describe(turn)}</span>
    </div>
  );
}

/** Thumbs for the answer. A second press takes the rating back. */
function Rating({ turn }: { turn: Turn }) {
  const [rating, setRating] = useState(turn.rating);
  const rate = (pressed: "up" | "down"): void => {
    const next = rating === pressed ? null : pressed;
    setRating(next);
    const path = { session_id: turn.sessionId, turn_id: turn.turnId };
    const request = api.PUT("/api/sessions/{session_id}/turns/{turn_id}/rating", { params: { path }, body: { rating: next } });
    unwrap(request).catch((error: unknown) => {
      setRating(rating);
      showError(error);
    });
  };
  const button = (value: "up" | "down", label: string) => (
    <button type="button" className="plain" aria-label={label} title={label} aria-pressed={rating === value} onClick={() => rate(value)}>
      <Icon name={value === "up" ? "good" : "bad"} />
    </button>
  );
  return (
    <>
      {button("up", texts.turn.good)}
      {button("down", texts.turn.bad)}
    </>
  );
}

/** Reads the answer with a voice of the system, until its end or until it is pressed again. */
function ReadAloud({ text }: { text: string }) {
  const [isReading, setReading] = useState(false);
  useEffect(() => (isReading ? () => speechSynthesis.cancel() : undefined), [isReading]);
  const toggle = (): void => {
    setReading(!isReading);
    if (isReading) return;
    const utterance = new SpeechSynthesisUtterance(toSpeech(text));
    utterance.onend = utterance.onerror = () => setReading(false);
    speechSynthesis.cancel();
    speechSynthesis.speak(utterance);
  };
  return (
    <button type="button" className="plain" aria-pressed={isReading} onClick={toggle}>
      <Icon name={isReading ? "stop" : "sound"} /> {isReading ? texts.turn.stopReading : texts.turn.readAloud}
    </button>
  );
}

function canSpeak(): boolean {
  return "speechSynthesis" in globalThis;
}

/** Return when the turn ended and, if it was answered, by which model and with how many tokens. */
function describe({ endedAt, status, model, tokens }: Turn): string {
  const time = endedAt && new Date(endedAt).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return [time, status === "complete" && model && texts.turn.model(modelLabel(model)), tokens > 0 && texts.turn.tokens(tokens)].filter(Boolean).join(" · ");
}
