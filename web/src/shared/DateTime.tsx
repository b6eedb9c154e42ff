/** A time in the user's language and time zone; its tooltip has the exact time in UTC. */
export function DateTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}
