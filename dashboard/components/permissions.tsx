/** The countries and senders that a client may use, editable; empty means all. */
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { type FormEvent, useState } from 'react';
import type { ClientView } from '../../shared/admin/client-views.ts';
import { ApiError } from '../api/client.ts';
import { sentence } from '../api/use-loading.ts';
import { useDashboard } from '../context.ts';

interface PermissionsProps {
  /** The client's path in the admin API. */
  readonly path: string;
  readonly countries: readonly string[] | null;
  readonly senders: readonly string[] | null;
  readonly onSaved: () => void;
}

export function Permissions({ path, countries, senders, onSaved }: PermissionsProps) {
  const { api, notify } = useDashboard();
  const [countryText, setCountryText] = useState(textOf(countries));
  const [senderText, setSenderText] = useState(textOf(senders));
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const isUnchanged = countryText === textOf(countries) && senderText === textOf(senders);
  const faults = { countries: faultOf('countries', error), senders: faultOf('senders', error) };
  const isGeneralError =
    error !== undefined && faults.countries === undefined && faults.senders === undefined;

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const wanted = { countries: listOf(countryText), senders: listOf(senderText) };
      const saved = await api.send<ClientView>('PATCH', path, wanted);
      setCountryText(textOf(saved.countries));
      setSenderText(textOf(saved.senders));
      notify('success', 'The countries and senders are saved. They take effect within 60 seconds.');
      onSaved();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void save(event)}>
      <Form
        errorText={isGeneralError ? sentence(error) : undefined}
        actions={
          <Button formAction="submit" loading={busy} disabled={isUnchanged}>
            Save countries and senders
          </Button>
        }
      >
        <ColumnLayout columns={2}>
          <ListField
            label="Countries"
            description="Two-letter codes, such as GB, FR. Empty means all."
            fault={faults.countries}
            text={countryText}
            onChange={setCountryText}
          />
          <ListField
            label="Senders"
            description="Names and numbers, such as ACME, +447700900123. Add otp to allow one-time passwords, and whatsapp to allow WhatsApp. Empty means all."
            fault={faults.senders}
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
  readonly fault: string | undefined;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ListField({ label, description, fault, text, onChange }: ListFieldProps) {
  return (
    <FormField label={label} description={description} errorText={fault}>
      <Input value={text} placeholder="all" onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}

const textOf = (list: readonly string[] | null): string => list?.join(', ') ?? '';

/** Null where the text is empty: all are allowed. */
function listOf(text: string): readonly string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length === 0 ? null : items;
}

/** The error of the list, or of one of its items (`countries[1]`). */
function faultOf(field: string, error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = Object.entries(error.details).find(([name]) => name.replace(/\[\d+\]$/, '') === field);
  if (found === undefined) return undefined;
  const [, index] = /\[(\d+)\]$/.exec(found[0]) ?? [];
  return index === undefined ? found[1] : `Number ${Number(index) + 1} ${found[1]}.`;
}
