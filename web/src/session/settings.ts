/** How one signs in, as the deployment says it in /config.json. */
export type SignInSettings =
  | { auth: "local" }
  | {
      auth: "oidc";
      /** The issuer; its `/.well-known/openid-configuration` is read. */
      authority: string;
      client_id: string;
      /** `openid email` where absent. */
      scope?: string;
      /** Where one signs out; Cognito has no address of its own for it in its configuration. */
      logout_url?: string;
    };

/** Read /config.json. Throws where there is none. */
export async function readSettings(): Promise<SignInSettings> {
  const answer = await fetch("/config.json");
  if (!answer.ok) throw new Error(`/config.json: ${answer.status}`);
  return (await answer.json()) as SignInSettings;
}
