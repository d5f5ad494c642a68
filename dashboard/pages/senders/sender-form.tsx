/** The dialog of one row of senders. What stays as it is, is not sent. */
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Toggle from '@cloudscape-design/components/toggle';
import { useState } from 'react';
import type { SenderView } from '../../../shared/admin/senders.ts';
import { changedFields } from '../../components/changed-fields.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { ClientField } from '../../components/client-name.tsx';
import { NoteField } from '../../components/edited-row.tsx';
import { useForm } from '../../components/form.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';
import { channelOptions } from '../../value-names.ts';

export type EditedSender = Pick<
  SenderView,
  'channel' | 'country' | 'carrier' | 'inbound' | Field | 'client_id'
>;

/** The form of a row that does not exist yet. */
export const newSender: EditedSender = {
  client_id: '',
  channel: 'sms',
  country: '',
  carrier: null,
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
  readonly onClose: () => void;
}

export function SenderForm({ row, onClose }: SenderFormProps) {
  const { api, notify } = useDashboard();
  const isNew = row.client_id === '';
  const [key, setKey] = useState({
    client_id: row.client_id,
    channel: row.channel ?? 'sms',
    country: row.country ?? '',
    carrier: row.carrier ?? '',
  });
  const country = key.country.trim().toUpperCase();
  const [values, setValues] = useState(() => valuesOf(row));
  const [inbound, setInbound] = useState(row.inbound);
  const changes = changedFields(valuesOf(row), values, (name) => name === 'messages_per_second');
  const form = useForm({
    fields: [...fields, 'client_id', 'country', 'carrier', 'inbound'],
    values: { ...values, ...key, inbound },
    send: () =>
      api.send(
        'setSender',
        {},
        {
          ...key,
          country,
          carrier: key.carrier.trim() === '' ? null : key.carrier.trim(),
          ...changes,
          // A row cannot be without an identity: the error says so.
          ...(changes.identity === null ? { identity: '' } : {}),
          ...(inbound === row.inbound ? {} : { inbound: inbound ? true : null }),
        },
      ),
    onSent: ({ destination, status, status_message }) => {
      onClose();
      notify(
        status === 'invalid' ? 'warning' : 'success',
        `Sender of ${destination} saved. ${status_message}`,
      );
    },
  });
  const field = (name: Field) => ({
    value: values[name],
    error: form.errorOf(name),
    onChange: (value: string) => setValues({ ...values, [name]: value }),
  });
  return (
    <FormDialog
      title={isNew ? 'Add sender' : `Sender of ${row.client_id}`}
      action="Save"
      form={form}
      onDismiss={onClose}
    >
      {isNew ? (
        <>
          <ClientField
            description="* is every client without a row of its own."
            errorText={form.errorOf('client_id')}
            value={key.client_id}
            onChange={(client_id) => setKey({ ...key, client_id })}
          />
          <ColumnLayout columns={3}>
            <ChoiceField
              label="Channel"
              value={key.channel}
              options={channelOptions}
              onChange={(value) => setKey({ ...key, channel: value === 'whatsapp' ? 'whatsapp' : 'sms' })}
            />
            <TextField
              label="Country"
              description="* is every country without a row of its own."
              error={form.errorOf('country')}
              placeholder="GB"
              value={key.country}
              onChange={(entered) => setKey({ ...key, country: entered })}
            />
            <TextField
              label="Carrier"
              description="Empty: the first of the channel."
              error={form.errorOf('carrier')}
              value={key.carrier}
              onChange={(carrier) => setKey({ ...key, carrier })}
            />
          </ColumnLayout>
        </>
      ) : null}
      <TextField
        {...field('identity')}
        label="Sender"
        {...(key.channel === 'sms'
          ? {
              description: 'A phone number, short code, sender ID, pool or Messaging Service.',
              placeholder: '+447700900123',
            }
          : {
              description: 'The id of the phone number, of AWS End User Messaging Social or of Meta.',
              placeholder: 'phone-number-id-…',
            })}
      />
      <TextField
        {...field('messages_per_second')}
        label="Messages per second"
        description="In segments. Empty: no pace of its own."
      />
      {key.channel === 'sms' && ['IN', '*'].includes(country) ? (
        <ColumnLayout columns={2}>
          <TextField {...field('entity_id')} label="Entity id" description="Only for messages to India." />
          <TextField
            {...field('template_id')}
            label="Template id"
            description="Only for messages to India."
          />
        </ColumnLayout>
      ) : null}
      <FormField errorText={form.errorOf('inbound')}>
        <Toggle checked={inbound} onChange={({ detail }) => setInbound(detail.checked)}>
          Messages to this number belong to this client
        </Toggle>
      </FormField>
      <NoteField {...field('note')} />
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
