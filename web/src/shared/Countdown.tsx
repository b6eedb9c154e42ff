import { useEffect, useState } from "react";
import { texts } from "../texts";

const TICK_MS = 500;
/** More seconds are shown as minutes. */
const MINUTES_FROM = 600;

interface CountdownProps {
  from: string;
  seconds: number;
  /** What happens at the end, with `{time}` for the time until then. */
  text?: string;
}

/** Time left until `seconds` after `from`. Screen readers skip it, because they would announce every tick. */
export function Countdown({ from, seconds, text = texts.call.left }: CountdownProps) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((Date.parse(from) + seconds * 1000 - now) / 1000));
  return (
    <span className="countdown" role="timer" aria-live="off">
      {text.replace("{time}", left < MINUTES_FROM ? texts.call.seconds(left) : texts.call.minutes(Math.round(left / 60)))}
    </span>
  );
}
