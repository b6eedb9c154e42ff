/** Time in which an app that opens before its result, the events of the call and the app of the result share one request. */
const SHARED_MS = 10_000;

interface FileVersion {
  file_key: string;
  version: number;
}

/** Return `load` with results that are shared for some seconds, because versions never change. Failures are not shared. */
export function shared<T>(load: (file: FileVersion) => Promise<T>): (file: FileVersion) => Promise<T> {
  const recent = new Map<string, Promise<T>>();
  return (file) => {
    const key = `${file.file_key}@${file.version}`;
    const before = recent.get(key);
    if (before) return before;
    const result = load(file);
    const forget = (): void => void recent.delete(key);
    recent.set(key, result);
    result.catch(forget);
    setTimeout(forget, SHARED_MS);
    return result;
  };
}
