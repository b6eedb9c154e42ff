import { type FormEvent, useEffect, useId, useRef, useState } from "react";

import { api, unwrap } from "../api/client";
import type { Prompt } from "../api/types";
import { Button } from "../shared/Button";
import { errorMessage } from "../shared/notifications";
import { onLoaded } from "../shared/onLoaded";
import { type PromptMessage, requestPrompt } from "./requestOffers";
import { fullName } from "./findOffers";
import { texts } from "../texts";

interface PromptFormProps {
  prompt: Prompt;
  onMessage(message: PromptMessage): void;
  onClose(): void;
}

/** Form for the arguments of a prompt. The server completes them while the user types. Escape closes it. */
export default function PromptForm({ prompt, onMessage, onClose }: PromptFormProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [error, setError] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isLoading) return;
    setLoading(true);
    setError(null);
    try {
      onMessage(await requestPrompt(prompt, values));
    } catch (failure) {
      setError(errorMessage(failure));
      setLoading(false);
    }
  };
  return (
    <form
      ref={form}
      className="prompt"
      aria-label={texts.prompt.label(fullName(prompt))}
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <p>
        <strong>{prompt.title ?? fullName(prompt)}</strong> {prompt.description}
      </p>
      {(prompt.arguments ?? []).map((argument) => (
        <ArgumentInput
          key={argument.name}
          prompt={prompt}
          argument={argument}
          values={values}
          onChange={(value) => setValues({ ...values, [argument.name]: value })}
        />
      ))}
      {error && (
        <p className="error-message" role="alert">
          {error}
        </p>
      )}
      <div className="row">
        <Button type="submit" className="primary" disabled={isLoading}>
          {texts.prompt.use}
        </Button>
        <Button disabled={false} onClick={onClose}>
          {texts.prompt.cancel}
        </Button>
      </div>
    </form>
  );
}

interface ArgumentInputProps {
  prompt: Prompt;
  argument: NonNullable<Prompt["arguments"]>[number];
  values: Record<string, string>;
  onChange(value: string): void;
}

function ArgumentInput({ prompt, argument, values, onChange }: ArgumentInputProps) {
  const id = useId();
  const [isFocused, setFocused] = useState(false);
  const [completions, setCompletions] = useState<readonly string[]>([]);
  const { server, name } = prompt;
  const value = values[argument.name] ?? "";
  useEffect(() => {
    if (!isFocused) return undefined;
    const body = { server, name, argument: argument.name, arguments: values };
    return onLoaded(unwrap(api.POST("/api/prompts/completion", { body })), (found) => setCompletions(found.values));
  }, [isFocused, value]);
  return (
    <div className="argument">
      <label htmlFor={id}>{argument.required ? texts.prompt.required(argument.name) : argument.name}</label>
      <input
        id={id}
        list={`${id}-values`}
        required={argument.required ?? false}
        placeholder={argument.description ?? ""}
        autoComplete="off"
        value={value}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`${id}-values`}>
        {completions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  );
}
