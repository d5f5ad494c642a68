/** Sends a message of the person, as the simulated carrier would report it; only where the simulator is the carrier. */
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Conversation } from '../../../shared/admin/conversation.ts';
import { fieldError, formError } from '../../api/client.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { useDashboard } from '../../context.ts';
import { channelOptions } from '../../value-names.ts';

interface SimulateReplyProps {
  readonly conversation: Conversation;
  readonly onSent: () => void;
}

export function SimulateReply({ conversation: { person, messages }, onSent }: SimulateReplyProps) {
  const { api, notify } = useDashboard();
  const [newest] = messages;
  const [channel, setChannel] = useState<string>(newest?.channel ?? 'sms');
  const [text, setText] = useState('');
  // Undefined while the newest message decides; a sender that is a name cannot be answered.
  const [entered, setEntered] = useState<string>();
  const to = entered ?? (newest?.number?.startsWith('+') === true ? newest.number : '');
  const send = useMutation({
    meta: { showsError: true },
    mutationFn: () =>
      api.send(
        'sendInbound',
        {},
        { channel, from: person, ...(to.trim() === '' ? {} : { to: to.trim() }), text },
      ),
    onSuccess: () => {
      setText('');
      notify('success', 'Reply sent. It appears here within a few seconds.');
      onSent();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text !== '') send.mutate();
  };
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="The simulated carrier reports it like a message of this person. It belongs to the client that last wrote to the person from this number."
        >
          Simulate a reply
        </Header>
      }
    >
      <form onSubmit={submit}>
        <SpaceBetween size="m">
          <FormField
            label="Text"
            description="STOP opts the person out, START in again."
            errorText={fieldError(send.error, 'text') ?? formError(send.error, ['to', 'text', 'channel'])}
            stretch
          >
            <Textarea value={text} rows={2} onChange={({ detail }) => setText(detail.value)} />
          </FormField>
          <Grid gridDefinition={Array.from({ length: 2 }, () => ({ colspan: { default: 12, s: 4 } }))}>
            <ChoiceField label="Channel" value={channel} options={channelOptions} onChange={setChannel} />
            <FormField label="Our number" errorText={fieldError(send.error, 'to')}>
              <Input
                value={to}
                placeholder="The simulator's number"
                onChange={({ detail }) => setEntered(detail.value)}
              />
            </FormField>
          </Grid>
          <Button formAction="submit" loading={send.isPending} disabled={text.trim() === ''}>
            Send reply
          </Button>
        </SpaceBetween>
      </form>
    </Container>
  );
}
