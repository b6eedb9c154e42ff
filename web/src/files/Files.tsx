export interface FilesProps {
  /** The session that is open; null before the first message. */
  sessionId: string | null;
  /** Rises when a turn made files, an upload ended or a session was ended: what is shown may be old. */
  changes: number;
  /** Puts `@name` into the message. */
  onMention(name: string): void;
}

/** My Files: what the person has, wherever it came from. */
export default function Files(_: FilesProps) {
  return <section className="files" aria-label="My Files" />;
}
