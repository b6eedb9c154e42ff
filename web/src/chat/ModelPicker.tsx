interface ModelPickerProps {
  models: readonly { name: string; description: string }[];
  chosen: string;
  choose(name: string): void;
}

/** Which model answers from the next message on; nothing where there is no choice. */
export function ModelPicker({ models, chosen, choose }: ModelPickerProps) {
  if (models.length < 2) return null;
  return (
    <label className="model">
      <span className="unseen">Model</span>
      <select value={chosen} onChange={(event) => choose(event.target.value)}>
        {models.map(({ name, description }) => (
          <option key={name} value={name} title={description}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
