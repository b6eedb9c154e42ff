/** Content security policy of an app, from the domains that its server declares. Everything else is forbidden. */
import type { AppPolicy } from "../api/types";

/** Origins, as the API lets them through; `*.` is any subdomain. */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?$/;

/** Return the policy, without the origins of `forbidden`: the page's own. Scripts in the app's own HTML run; the frame that shows it has an origin without any data. */
export function buildPolicy(declared: AppPolicy, forbidden: readonly string[] = []): string {
  const origins = (domains: readonly string[] = []): string[] =>
    domains.filter((domain) => isOrigin(domain) && !forbidden.some((origin) => isSameHost(domain, origin)));
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

function isOrigin(domain: string): boolean {
  return ORIGIN.test(domain) && URL.canParse(domain.replace("*.", ""));
}

function isSameHost(domain: string, origin: string): boolean {
  const isLocal = (url: URL): boolean => ["127.0.0.1", "localhost"].includes(url.hostname);
  const [one, other] = [new URL(domain.replace("*.", "")), new URL(origin)];
  return one.port === other.port && (one.hostname === other.hostname || (isLocal(one) && isLocal(other)));
}
