/** The dialog of one row of limits: every window, an end, a block and a note. What stays as it is, is not sent. */
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Toggle from '@cloudscape-design/components/toggle';
import { useState } from 'react';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import type { WindowAttribute } from '../../../shared/contract/limits.ts';
import { limitFault, plainLimit } from '../../../shared/limit/entered-limits.ts';
import { changedFields } from '../../components/changed-fields.ts';
import { DateTimeField } from '../../components/date-time-field.tsx';
import { NoteField } from '../../components/edited-row.tsx';
import { useForm } from '../../components/form.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';
import { limitPlaceholder, limitTitles, savedNotice } from './limit-field.ts';

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
    ...changedFields(before, plain(row, values), (name) => name.startsWith('per_')),
    ...(blocked === row.blocked ? {} : { blocked: blocked ? true : null }),
  };
  const form = useForm({
    fields: [...windows, 'expires_at', 'note'],
    values: { ...values, blocked },
    send: () => api.send('setLimits', { client_id: row.client_id }, { endpoint, ...changes }),
    onSent: (saved) => {
      onClose();
      notify(...savedNotice(saved));
    },
  });
  const change = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value });
  /** Counts the changes by buttons, which the fields have to show. */
  const [shifts, setShifts] = useState(0);
  const setExpiry = (expires_at: string): void => {
    setValues({ ...values, expires_at });
    setShifts(shifts + 1);
  };
  const expireIn = (days: number): void => {
    const held = Date.parse(values.expires_at);
    const from = Number.isNaN(held) ? Date.now() : held;
    setExpiry(new Date(from + days * 86_400_000).toISOString().replace(/:\d\d\.\d{3}Z$/, ':00Z'));
  };
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
              placeholder={byDefault === undefined ? 'no limit' : limitPlaceholder(row, byDefault)}
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
      <DateTimeField
        key={shifts}
        label="Expires at"
        description="In your time zone. Afterwards the row has no effect; empty: never."
        error={form.errorOf('expires_at')}
        value={values.expires_at}
        onChange={change('expires_at')}
        actions={
          <>
            <Button formAction="none" onClick={() => expireIn(7)}>
              +1 week
            </Button>
            {values.expires_at === '' ? null : (
              <Button formAction="none" variant="link" onClick={() => setExpiry('')}>
                Never
              </Button>
            )}
          </>
        }
      />
      <NoteField value={values.note} error={form.errorOf('note')} onChange={change('note')} />
    </FormDialog>
  );
}

function plain(row: EndpointLimits, values: Values): Values {
  const limits = row.windows.map((window) => [window, plainLimit(row, values[window])]);
  return { ...values, ...Object.fromEntries(limits) };
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
