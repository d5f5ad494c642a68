/** The dialog of one row of senders. Sends only changed fields. */

import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Toggle from '@cloudscape-design/components/toggle';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { changedFields } from '../../components/changed-fields.ts';
import { ClientField } from '../../components/client-name.tsx';
import { NoteField } from '../../components/edited-row.tsx';
import { FormDialog, useForm } from '../../components/form.tsx';
import { ChoiceField, TextField } from '../../components/form-fields.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { channelOptions } from '../../value-names.ts';

export type SenderView = RowOf<'listSenders', 'senders'>;

export function SenderForm({
  row,
  onClose,
}: {
  /** Empty for a new row. */
  readonly row: Partial<SenderView>;
  readonly onClose: () => void;
}) {
  const { api, notify } = useDashboard();
  const isNew = row.client_id === undefined;
  const first = {
    ...valuesOf(row),
    client_id: row.client_id ?? '',
    channel: String(row.channel ?? 'sms'),
    country: row.country ?? '',
    carrier: row.carrier ?? '',
  };
  const form = useForm({
    first,
    send: ({ client_id, channel, country, carrier, ...values }) => {
      const changes = changedFields(valuesOf(row), values, (name) => name === 'messages_per_second');
      const body = {
        client_id,
        channel,
        country: country.trim().toUpperCase(),
        carrier: carrier.trim() || null,
        ...changes,
        // An empty identity is sent instead of null, so that the gateway asks for an identity.
        ...(changes.identity === null ? { identity: '' } : {}),
      };
      return api.send('setSender', {}, body);
    },
    onSent: ({ destination, status, status_message }) =>
      notify(
        status === 'invalid' ? 'warning' : 'success',
        `Sender of ${destination} saved. ${status_message}`,
      ),
    onClose,
  });
  const { field } = form;
  const { channel, inbound } = form.values;
  return (
    <FormDialog title={isNew ? 'Add sender' : `Sender of ${row.client_id}`} action="Save" form={form}>
      {isNew ? (
        <>
          <ClientField description="* is every client without a row of its own." {...field('client_id')} />
          <ColumnLayout columns={3}>
            <ChoiceField {...field('channel')} label="Channel" options={channelOptions} />
            <TextField
              {...field('country')}
              label="Country"
              description="* is every country without a row of its own."
              placeholder="GB"
            />
            <TextField
              {...field('carrier')}
              label="Carrier"
              description="Leave empty for the first carrier of the channel."
            />
          </ColumnLayout>
        </>
      ) : null}
      <TextField
        {...field('identity')}
        label="Sender"
        {...(channel === 'sms'
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
        description="In segments. Leave empty for no pace."
      />
      {channel === 'sms' && ['IN', '*'].includes(form.values.country.trim().toUpperCase()) ? (
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
        <Toggle checked={inbound} onChange={({ detail }) => form.change({ inbound: detail.checked })}>
          Messages to this number belong to this client
        </Toggle>
      </FormField>
      <NoteField {...field('note')} />
    </FormDialog>
  );
}

function valuesOf(row: Partial<SenderView>) {
  return {
    identity: row.identity ?? '',
    messages_per_second: row.messages_per_second ?? '',
    entity_id: row.entity_id ?? '',
    template_id: row.template_id ?? '',
    inbound: row.inbound ?? false,
    note: row.note ?? '',
  };
}
