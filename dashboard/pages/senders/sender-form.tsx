/** The form of one row of senders. What stays as it is, is not sent. */
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Toggle from '@cloudscape-design/components/toggle';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SenderView } from '../../../shared/admin/senders.ts';
import { type Answer, fieldError } from '../../api/client.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { ClientField } from '../../components/client-name.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NoteField } from '../../components/note-field.tsx';
import { useDashboard } from '../../context.ts';
import { channelOptions } from '../../value-names.ts';

export type EditedSender = Pick<SenderView, 'channel' | 'country' | 'inbound' | Field | 'client_id'>;

/** The form of a row that does not exist yet. */
export const newSender: EditedSender = {
  client_id: '',
  channel: 'sms',
  country: '',
  identity: null,
  messages_per_second: null,
  entity_id: null,
  template_id: null,
  inbound: false,
  note: null,
};

const fields = ['identity', 'messages_per_second', 'entity_id', 'template_id', 'note'] as const;
type Field = (typeof fields)[number];

interface SenderFormProps {
  readonly row: EditedSender;
  readonly onDismiss: () => void;
  readonly onSaved: (row: Answer<'setSender'>) => void;
}

export function SenderForm({ row, onDismiss, onSaved }: SenderFormProps) {
  const { api } = useDashboard();
  const isNew = row.client_id === '';
  const [key, setKey] = useState({
    client_id: row.client_id,
    channel: row.channel ?? 'sms',
    country: row.country ?? '',
  });
  const [values, setValues] = useState(() => valuesOf(row));
  const [inbound, setInbound] = useState(row.inbound);
  const save = useMutation({
    meta: { showsError: true },
    mutationFn: () =>
      api.send(
        'setSender',
        {},
        {
          ...key,
          country: key.country.trim().toUpperCase(),
          ...changed(valuesOf(row), values),
          ...(inbound === row.inbound ? {} : { inbound: inbound ? true : null }),
        },
      ),
    onSuccess: onSaved,
  });
  const field = (name: Field, label: string, description?: string, placeholder = '') => (
    <FormField label={label} description={description} errorText={fieldError(save.error, name)}>
      <Input
        placeholder={placeholder}
        value={values[name]}
        onChange={({ detail }) => setValues({ ...values, [name]: detail.value })}
      />
    </FormField>
  );

  return (
    <FormDialog
      title={isNew ? 'Add sender' : `Sender of ${row.client_id}`}
      action="Save"
      change={save}
      fields={[...fields, 'client_id', 'country', 'inbound']}
      onSubmit={() => save.mutate()}
      onDismiss={onDismiss}
    >
      {isNew ? (
        <>
          <ClientField
            description="* is every client without a row of its own."
            errorText={fieldError(save.error, 'client_id')}
            value={key.client_id}
            onChange={(client_id) => setKey({ ...key, client_id })}
          />
          <ColumnLayout columns={2}>
            <ChoiceField
              label="Channel"
              value={key.channel}
              options={channelOptions}
              onChange={(value) => setKey({ ...key, channel: value === 'whatsapp' ? 'whatsapp' : 'sms' })}
            />
            <FormField
              label="Country"
              description="* is every country without a row of its own."
              errorText={fieldError(save.error, 'country')}
            >
              <Input
                placeholder="GB"
                value={key.country}
                onChange={({ detail }) => setKey({ ...key, country: detail.value })}
              />
            </FormField>
          </ColumnLayout>
        </>
      ) : null}
      {key.channel === 'sms'
        ? field('identity', 'Sender', 'A phone number, short code, sender ID or pool.', '+447700900123')
        : field(
            'identity',
            'Sender',
            'The id of the phone number in AWS End User Messaging Social.',
            'phone-number-id-…',
          )}
      {field('messages_per_second', 'Messages per second', 'In segments. Empty: no pace of its own.')}
      {key.channel === 'sms' && ['IN', '*'].includes(key.country.trim().toUpperCase()) ? (
        <ColumnLayout columns={2}>
          {field('entity_id', 'Entity id', 'Only for messages to India.')}
          {field('template_id', 'Template id', 'Only for messages to India.')}
        </ColumnLayout>
      ) : null}
      <FormField errorText={fieldError(save.error, 'inbound')}>
        <Toggle checked={inbound} onChange={({ detail }) => setInbound(detail.checked)}>
          Messages to this number belong to this client
        </Toggle>
      </FormField>
      <NoteField
        value={values.note}
        error={fieldError(save.error, 'note')}
        onChange={(note) => setValues({ ...values, note })}
      />
    </FormDialog>
  );
}

function valuesOf(row: EditedSender): Readonly<Record<Field, string>> {
  return {
    identity: row.identity ?? '',
    messages_per_second: row.messages_per_second ?? '',
    entity_id: row.entity_id ?? '',
    template_id: row.template_id ?? '',
    note: row.note ?? '',
  };
}

/** Null removes a value. */
function changed(
  before: Readonly<Record<Field, string>>,
  values: Readonly<Record<Field, string>>,
): Readonly<Record<string, string | number | null>> {
  const names = fields.filter((name) => values[name].trim() !== before[name]);
  return Object.fromEntries(
    names.map((name) => {
      const text = values[name].trim();
      // A row cannot be without an identity: the error says so.
      if (text === '' && name !== 'identity') return [name, null];
      return [name, name === 'messages_per_second' ? Number(text) : text];
    }),
  );
}
