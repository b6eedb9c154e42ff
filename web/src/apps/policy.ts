/** Content security policy of an app, from the domains that its server declares. Everything else is forbidden. */
import type { AppPolicy } from "../api/types";

/** Origins, as the API lets them through; `*.` is any subdomain. */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?$/;

/** Return the policy. Scripts in the app's own HTML run; the frame that shows it has an origin without any data. */
export function buildPolicy(declared: AppPolicy): string {
  const resources = origins(declared.resource_domains);
  const own = ["blob:", "data:", ...resources];
  const directives: Record<string, string[]> = {
    "default-src": [],
    "script-src": ["'unsafe-inline'", "'unsafe-eval'", ...own],
    "style-src": ["'unsafe-inline'", ...own],
    "img-src": own,
    "font-src": own,
    "media-src": own,
    "worker-src": ["blob:", ...resources],
    "connect-src": ["blob:", "data:", ...origins(declared.connect_domains)],
    "frame-src": origins(declared.frame_domains),
    "base-uri": origins(declared.base_uri_domains),
  };
  return Object.entries(directives)
    .map(([name, values]) => [name, ...(values.length > 0 ? values : ["'none'"])].join(" "))
    .join("; ");
}

function origins(declared: readonly string[] = []): string[] {
  return declared.filter((origin) => ORIGIN.test(origin));
}
