/** The dialog of one row of limits: every window, an end, a block and a note. What stays as it is, is not sent. */
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Toggle from '@cloudscape-design/components/toggle';
import { useState } from 'react';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import type { WindowAttribute } from '../../../shared/contract/limit-rows.ts';
import { changedFields } from '../../components/changed-fields.ts';
import { useForm } from '../../components/form.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NoteField } from '../../components/note-field.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';
import { numberText } from '../../value-names.ts';
import { limitFault, limitTitles } from './limit-field.ts';

interface LimitRowFormProps {
  readonly row: EndpointLimits;
  readonly onClose: () => void;
}

type Values = Readonly<Record<WindowAttribute | 'expires_at' | 'note', string>>;

export function LimitRowForm({ row, onClose }: LimitRowFormProps) {
  const { api, notify } = useDashboard();
  const { windows, endpoint } = row;
  const [before] = useState(() => valuesOf(row));
  const [values, setValues] = useState(before);
  const [blocked, setBlocked] = useState(row.blocked);
  const faults = windows.map((window) =>
    values[window] === before[window] ? undefined : limitFault(row, values[window]),
  );
  const changes = {
    ...changedFields(before, values, (name) => name.startsWith('per_')),
    ...(blocked === row.blocked ? {} : { blocked: blocked ? true : null }),
  };
  const form = useForm({
    fields: [...windows, 'expires_at', 'note'],
    send: () => api.send('setLimits', { client_id: row.client_id }, { endpoint, ...changes }),
    onSent: ({ status_message }) => {
      onClose();
      notify('success', `Limits of ${endpoint} saved. ${status_message ?? ''}`);
    },
  });
  const change = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value });
  return (
    <FormDialog
      title={`Limits of ${endpoint}`}
      action="Save"
      form={form}
      isComplete={Object.keys(changes).length > 0 && faults.every((fault) => fault === undefined)}
      onDismiss={onClose}
    >
      <ColumnLayout columns={2}>
        {windows.map((window, index) => {
          const byDefault = row.defaults?.[window];
          return (
            <TextField
              key={window}
              label={`${limitTitles[window]}${row.currency === null ? '' : `, in ${row.currency}`}`}
              error={faults[index] ?? form.errorOf(window)}
              inputMode="decimal"
              autoFocus={index === 0}
              placeholder={byDefault === undefined ? 'no limit' : numberText(byDefault)}
              value={values[window]}
              onChange={change(window)}
            />
          );
        })}
      </ColumnLayout>
      {row.cap === null ? (
        <Toggle checked={blocked} onChange={({ detail }) => setBlocked(detail.checked)}>
          Block this endpoint: its requests are refused with 403
        </Toggle>
      ) : null}
      <TextField
        label="Expires at"
        description="A UTC time. Afterwards the row has no effect; empty: never."
        error={form.errorOf('expires_at')}
        placeholder="2026-11-30T18:00:00Z"
        value={values.expires_at}
        onChange={change('expires_at')}
      />
      <NoteField value={values.note} error={form.errorOf('note')} onChange={change('note')} />
    </FormDialog>
  );
}

function valuesOf({ override, expires_at, note }: EndpointLimits): Values {
  const limit = (window: WindowAttribute): string => String(override?.[window] ?? '');
  return {
    per_minute: limit('per_minute'),
    per_hour: limit('per_hour'),
    per_day: limit('per_day'),
    per_month: limit('per_month'),
    expires_at: expires_at ?? '',
    note: note ?? '',
  };
}
