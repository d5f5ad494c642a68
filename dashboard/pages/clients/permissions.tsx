/** The countries and senders that a client may use, editable; empty means those of the stage, and all senders. */
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldError, formError } from '../../api/client.ts';
import { useDashboard } from '../../context.ts';

interface PermissionsProps {
  readonly clientId: string;
  readonly countries: readonly string[] | null;
  readonly senders: readonly string[] | null;
  /** Of clients without a list of their own; null for all, undefined until it is known. */
  readonly stageCountries: readonly string[] | null | undefined;
}

/** A stage can have as many as there are countries. */
const shownCountries = 8;

function stageText(countries: readonly string[] | null | undefined): string {
  if (countries === undefined) return 'its list';
  if (countries === null) return 'all countries';
  const others = countries.length - shownCountries;
  return `${countries.slice(0, shownCountries).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

export function Permissions({ clientId, countries, senders, stageCountries }: PermissionsProps) {
  const { api, notify } = useDashboard();
  const [countryText, setCountryText] = useState(textOf(countries));
  const [senderText, setSenderText] = useState(textOf(senders));
  const isUnchanged = countryText === textOf(countries) && senderText === textOf(senders);
  const save = useMutation({
    meta: { showsError: true },
    mutationFn: () =>
      api.send(
        'changeClient',
        { client_id: clientId },
        { countries: listOf(countryText), senders: listOf(senderText) },
      ),
    onSuccess: (saved) => {
      setCountryText(textOf(saved.countries));
      setSenderText(textOf(saved.senders));
      notify('success', 'Countries and senders saved. The change takes effect within 60 seconds.');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };

  return (
    <form onSubmit={submit}>
      <Form
        errorText={formError(save.error, ['countries', 'senders'])}
        actions={
          <Button formAction="submit" loading={save.isPending} disabled={isUnchanged}>
            Save countries and senders
          </Button>
        }
      >
        <ColumnLayout columns={2}>
          <ListField
            label="Countries"
            description={`ISO country codes, such as GB, FR. Leave empty to follow the stage: ${stageText(stageCountries)}.`}
            error={fieldError(save.error, 'countries')}
            placeholder="As the stage"
            text={countryText}
            onChange={setCountryText}
          />
          <ListField
            label="Senders"
            description="Names and numbers, such as ACME, +447700900123. Add otp to allow one-time passwords, and whatsapp to allow WhatsApp. Leave empty to allow all senders."
            error={fieldError(save.error, 'senders')}
            placeholder="All"
            text={senderText}
            onChange={setSenderText}
          />
        </ColumnLayout>
      </Form>
    </form>
  );
}

interface ListFieldProps {
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly placeholder: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ListField({ label, description, error, placeholder, text, onChange }: ListFieldProps) {
  return (
    <FormField label={label} description={description} errorText={error}>
      <Input value={text} placeholder={placeholder} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}

const textOf = (list: readonly string[] | null): string => list?.join(', ') ?? '';

/** Null where the text is empty: the client has no list. */
function listOf(text: string): readonly string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length === 0 ? null : items;
}
