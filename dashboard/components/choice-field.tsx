/** A field with a few values, of which one is chosen; the first, if the value is not one of them. */
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import { useListState } from '../route.ts';

interface Option {
  readonly value: string;
  readonly label?: string;
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

export function ChoiceField({ label, value, error, options, onChange }: ChoiceFieldProps) {
  return (
    <FormField label={label} errorText={error}>
      <Select
        selectedOption={options.find((option) => option.value === value) ?? options[0] ?? null}
        options={options}
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
      />
    </FormField>
  );
}

/** The same with all values in sight. */
export function RadioField({ label, value, error, options, onChange }: ChoiceFieldProps) {
  return (
    <FormField label={label} errorText={error}>
      <RadioGroup
        value={value}
        items={options.map((option) => ({ label: option.value, ...option }))}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}

const any = { value: '', label: 'Any' };

interface ChoiceFilterProps extends Pick<ChoiceFieldProps, 'label' | 'options'> {
  /** In the address. */
  readonly name: string;
}

/** A filter of a list: one of the values, or any. */
export function ChoiceFilter({ name, label, options }: ChoiceFilterProps) {
  const { filter, change } = useListState();
  return (
    <ChoiceField
      label={label}
      value={filter(name)}
      options={[any, ...options]}
      onChange={(value) => change({ [name]: value })}
    />
  );
}
