import { useEffect, useState } from "react";
import { texts } from "../texts";

const TICK_MS = 500;
/** More seconds are shown as minutes. */
const MINUTES_FROM = 600;

/** Time left until `seconds` after `from`. Screen readers skip it, because they would announce every tick. */
export function Countdown({ from, seconds }: { from: string; seconds: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((Date.parse(from) + seconds * 1000 - now) / 1000));
  return (
    <span className="countdown" role="timer" aria-live="off">
      {left < MINUTES_FROM ? texts.call.secondsLeft(left) : texts.call.minutesLeft(Math.round(left / 60))}
    </span>
  );
}
