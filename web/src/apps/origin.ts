let origin: Promise<string | null> | null = null;

/** Return the origin of the frame for foreign pages, from the deployment's /config.json; null if it has none, or this page's. */
export function fetchSandboxOrigin(): Promise<string | null> {
  origin ??= readOrigin().catch((error: unknown) => {
    origin = null;
    throw error;
  });
  return origin;
}

async function readOrigin(): Promise<string | null> {
  const response = await fetch("/config.json");
  const { apps } = (await response.json()) as { apps?: string };
  return apps && new URL(apps).origin !== location.origin ? new URL(apps).origin : null;
}
