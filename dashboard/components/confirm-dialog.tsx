/** Asks for confirmation of an action that cannot be undone or that affects a client, then does it. */
import { useState } from 'react';
import { useDashboard } from '../context.ts';
import { useForm } from './form.ts';
import { FormDialog } from './form-dialog.tsx';

interface Confirmation {
  readonly title: string;
  readonly text: string;
  /** The text of the button that confirms. */
  readonly action: string;
  readonly dismissText?: string;
  readonly work: () => Promise<unknown>;
  /** What is notified afterwards. */
  readonly done?: string;
}

/** @returns `confirm`, and the dialog for the page to show */
export function useConfirm() {
  const [asked, confirm] = useState<Confirmation>();
  const dialog = asked === undefined ? null : <ConfirmDialog {...asked} onClose={() => confirm(undefined)} />;
  return { confirm, dialog };
}

function ConfirmDialog({ text, work, done, onClose, ...texts }: Confirmation & { onClose: () => void }) {
  const { notify } = useDashboard();
  const form = useForm({
    send: work,
    onSent: () => {
      if (done !== undefined) notify('success', done);
    },
    onClose,
  });
  return (
    <FormDialog {...texts} form={form}>
      {text}
    </FormDialog>
  );
}
