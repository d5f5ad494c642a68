/** The form of a new suppression: number, scope and reason. For a number that has one, it changes scope and reason. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldError, formError } from '../api/client.ts';
import { useDashboard } from '../context.ts';
import { withoutSeparators } from './phone-number.ts';
import { scopeNames } from './reachability.tsx';

interface NewSuppressionProps {
  /** Of the client's suppressions in the admin API. */
  readonly path: string;
  /** What the field has at first. */
  readonly recipient: string;
  readonly onDone: () => void;
}

const scopeItems = Object.entries(scopeNames).map(([value, label]) => ({ value, label }));

export function NewSuppression({ path, recipient, onDone }: NewSuppressionProps) {
  const { api, notify } = useDashboard();
  const [number, setNumber] = useState(recipient);
  const [scope, setScope] = useState('messages');
  const [reason, setReason] = useState('');
  const add = useMutation({
    meta: { showsError: true },
    mutationFn: () =>
      api.send<'putSuppression'>('PUT', `${path}/${encodeURIComponent(withoutSeparators(number))}`, {
        scope,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      }),
    onSuccess: (added) => {
      notify('success', `${added.recipient} is suppressed.`);
      onDone();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Modal visible header="Add suppression" onDismiss={onDone}>
      <form onSubmit={submit}>
        <Form
          errorText={formError(add.error, ['recipient', 'reason'])}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" onClick={onDone}>
                Cancel
              </Button>
              <Button
                variant="primary"
                formAction="submit"
                loading={add.isPending}
                disabled={number.trim() === ''}
              >
                Add
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="m">
            <FormField label="Recipient" errorText={fieldError(add.error, 'recipient')}>
              <Input
                value={number}
                type="text"
                inputMode="tel"
                placeholder="+44…"
                autoFocus
                onChange={({ detail }) => setNumber(detail.value)}
              />
            </FormField>
            <FormField label="Do not send">
              <RadioGroup
                value={scope}
                items={scopeItems}
                onChange={({ detail }) => setScope(detail.value)}
              />
            </FormField>
            <FormField
              label={
                <span>
                  Reason <Box variant="span">– optional</Box>
                </span>
              }
              errorText={fieldError(add.error, 'reason')}
            >
              <Input value={reason} onChange={({ detail }) => setReason(detail.value)} />
            </FormField>
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
}
