import { texts } from "../texts";
import { modelLabel } from "./modelLabel";

interface ModelPickerProps {
  models: readonly { name: string; description: string }[];
  selected: string;
  onSelect(name: string): void;
}

/** Select the model for the next messages. Renders nothing if the deployment has one model. */
export function ModelPicker({ models, selected, onSelect }: ModelPickerProps) {
  if (models.length < 2) return null;
  return (
    <label className="model">
      <span className="faint">{texts.composer.model}</span>
      <select value={selected} onChange={(event) => onSelect(event.target.value)}>
        {models.map(({ name, description }) => (
          <option key={name} value={name} title={description}>
            {modelLabel(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
