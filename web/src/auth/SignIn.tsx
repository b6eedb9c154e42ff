import { type FormEvent, useRef, useState } from "react";
import { texts } from "../texts";
import { Button } from "../shared/Button";
import { signInWithPassword } from "./password";

interface SignInProps {
  onSignedIn(): void;
}

/** Form for name and password. It keeps the name after a failure, and moves the focus to the password. */
export function SignIn({ onSignedIn }: SignInProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const password = useRef<HTMLInputElement>(null);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      await signInWithPassword(String(fields.get("user")).trim(), String(fields.get("password")));
      onSignedIn();
    } catch (reason) {
      setError((reason as Error).message);
      password.current?.select();
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <h1>{texts.auth.title}</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          {texts.auth.userName}
          <input name="user" autoComplete="username" autoCapitalize="none" spellCheck={false} required autoFocus />
        </label>
        <label>
          {texts.auth.password}
          <input
            ref={password}
            name="password"
            type="password"
            autoComplete="current-password"
            aria-describedby="sign-in-error"
            required
          />
        </label>
        <p id="sign-in-error" role="alert">
          {error}
        </p>
        <Button type="submit" className="primary" disabled={isBusy}>
          {texts.auth.signIn}
        </Button>
      </form>
    </main>
  );
}
