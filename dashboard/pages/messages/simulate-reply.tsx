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
  const [channel] = useState<string>(newest?.channel ?? 'sms');
  const form = useForm({
    first: {
      channel,
      text: '',
      // A sender that is a name cannot be answered.
      to: newest?.number?.startsWith('+') === true ? newest.number : '',
    },
    send: ({ to, ...entered }) =>
      api.send(
        'sendInbound',
        {},
        { ...entered, from: person, ...(to.trim() === '' ? {} : { to: to.trim() }), mode },
      ),
    onSent: (_answer, change) => {
      change({ text: '' });
      notify('success', 'Reply sent. It appears here within a few seconds.');
      onSent();
    },
  });
  const text = form.field('text');
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
            errorText={text.error ?? form.error}
            stretch
          >
            <Textarea value={text.value} rows={2} onChange={({ detail }) => text.onChange(detail.value)} />
          </FormField>
          <Fields perRow={3}>
            <ChoiceField {...form.field('channel')} label="Channel" options={channelOptions} />
            <TextField {...form.field('to')} label="Our number" placeholder="The simulator's number" />
          </Fields>
          <Button formAction="submit" loading={form.isPending} disabled={text.value.trim() === ''}>
            Send reply
          </Button>
        </SpaceBetween>
      </form>
    </Section>
  );
}
