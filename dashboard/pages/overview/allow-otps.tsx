/** A button that lets held one-time passwords of a client go to a country again. */
import Button from '@cloudscape-design/components/button';
import { useMutation } from '@tanstack/react-query';
import { useDashboard } from '../../context.ts';

interface AllowOtpsProps {
  readonly clientId: string;
  readonly country: string;
}

export function AllowOtps({ clientId, country }: AllowOtpsProps) {
  const { api, notify } = useDashboard();
  const allow = useMutation({
    mutationFn: () => api.send('allowOtps', { client_id: clientId, country }, {}),
    onSuccess: () =>
      notify(
        'success',
        `One-time passwords to ${country} are allowed. The change takes effect within 20 seconds.`,
      ),
  });
  return (
    <Button
      variant="inline-link"
      ariaLabel={`Allow one-time passwords to ${country}`}
      loading={allow.isPending}
      disabled={allow.isSuccess}
      onClick={() => allow.mutate()}
    >
      Allow
    </Button>
  );
}
