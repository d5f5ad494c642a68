/** A button that lets held one-time passwords of a client go to a country again. */
import { useChange } from '../../api/change.ts';
import { RowAction } from '../../components/row-action.tsx';
import { useDashboard } from '../../context.ts';

interface AllowOtpsProps {
  readonly clientId: string;
  readonly country: string;
}

export function AllowOtps({ clientId, country }: AllowOtpsProps) {
  const { api, notify } = useDashboard();
  const allow = useChange({
    mutationFn: () => api.send('allowOtps', { client_id: clientId, country }, {}),
    onSuccess: () =>
      notify(
        'success',
        `One-time passwords to ${country} are allowed. The change takes effect within 20 seconds.`,
      ),
  });
  return (
    <RowAction
      text="Allow"
      of={`one-time passwords to ${country}`}
      isPending={allow.isPending}
      isDisabled={allow.isSuccess}
      onClick={() => allow.mutate()}
    />
  );
}
