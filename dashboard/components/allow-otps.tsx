/** A button that ends a hold on a client's one-time passwords to a country. */
import { useDashboard } from '../dashboard-context.ts';
import { useConfirm } from './form.tsx';
import { RowAction } from './list.tsx';

export function AllowOtps({ clientId, country }: { readonly clientId: string; readonly country: string }) {
  const { api } = useDashboard();
  const { confirm, dialog } = useConfirm();
  const allow = (): void =>
    confirm({
      title: `Allow one-time passwords to ${country}?`,
      text: 'They were held because so few were verified, as when a program requests passwords to earn from the messages. Look at the numbers of the SMS that the client sent. Allow them once the client has explained the requests, or has stopped them.',
      action: 'Allow',
      work: () => api.send('allowOtps', { client_id: clientId, country }, {}),
      done: `One-time passwords to ${country} are allowed. The change takes effect within 20 seconds.`,
    });
  return (
    <>
      <RowAction text="Allow…" of={`one-time passwords to ${country}`} onClick={allow} />
      {dialog}
    </>
  );
}
