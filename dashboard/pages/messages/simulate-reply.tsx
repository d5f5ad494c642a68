/** Sends a message of the person, as the simulated carrier would report it; only where the simulator is the carrier. */
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import type { Conversation } from '../../../shared/admin/conversation.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { Fields } from '../../components/filters.tsx';
import { useForm } from '../../components/form.ts';
import { Section } from '../../components/section.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useDashboard } from '../../context.ts';
import { useMode } from '../../route.ts';
import { channelOptions } from '../../value-names.ts';

interface SimulateReplyProps {
  readonly conversation: Conversation;
  readonly onSent: () => void;
}

export function SimulateReply({ conversation: { person, messages }, onSent }: SimulateReplyProps) {
  const { api, notify } = useDashboard();
  const mode = useMode();
  const [newest] = messages;
  const [channel, setChannel] = useState<string>(newest?.channel ?? 'sms');
  const [text, setText] = useState('');
  // Undefined while the newest message decides; a sender that is a name cannot be answered.
  const [entered, setEntered] = useState<string>();
  const to = entered ?? (newest?.number?.startsWith('+') === true ? newest.number : '');
  const form = useForm({
    fields: ['to', 'text', 'channel'],
    values: { to, text, channel },
    send: () =>
      api.send(
        'sendInbound',
        {},
        { channel, from: person, ...(to.trim() === '' ? {} : { to: to.trim() }), text, mode },
      ),
    onSent: () => {
      setText('');
      notify('success', 'Reply sent. It appears here within a few seconds.');
      onSent();
    },
  });
  return (
    <Section
      title="Simulate a reply"
      description="The simulated carrier reports it like a message of this person. It belongs to the client that last wrote to the person from this number."
    >
      <form onSubmit={form.submit}>
        <SpaceBetween size="m">
          <FormField
            label="Text"
            description="STOP opts the person out, START in again."
            errorText={form.errorOf('text') ?? form.error}
            stretch
          >
            <Textarea value={text} rows={2} onChange={({ detail }) => setText(detail.value)} />
          </FormField>
          <Fields perRow={3}>
            <ChoiceField label="Channel" value={channel} options={channelOptions} onChange={setChannel} />
            <TextField
              label="Our number"
              error={form.errorOf('to')}
              value={to}
              placeholder="The simulator's number"
              onChange={setEntered}
            />
          </Fields>
          <Button formAction="submit" loading={form.isPending} disabled={text.trim() === ''}>
            Send reply
          </Button>
        </SpaceBetween>
      </form>
    </Section>
  );
}
