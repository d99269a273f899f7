import { Refusal } from '../api.ts';
import { addressOf } from '../router.ts';
import { may } from '../session.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Icon } from './icons.tsx';

/** What went wrong, as the API says it, with the number by which its log can be searched. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === undefined || error === null) return null;
  const { title, detail, code, status, request_id, errors } =
    error instanceof Refusal
      ? error.problem
      : {
          title: 'The page failed.',
          detail: (error as Error).message,
          code: '',
          request_id: '',
          errors: [],
        };
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{title}</strong> {detail !== title && detail !== errors?.[0]?.detail && detail}
        </p>
        {errors && errors.length > 0 && (
          <ul>
            {errors.map((one) => (
              <li key={one.pointer + one.code}>
                <code>{one.pointer || '/'}</code> {one.detail}
              </li>
            ))}
          </ul>
        )}
        <p class="trouble-ids">
          {code && <code>{code}</code>}
          {request_id && (
            <>
              <span>
                request <code>{request_id}</code>
              </span>
              <Copy text={request_id} what="request id" />
            </>
          )}
          {/* Of refused calls the audit log tells. */}
          {status === 403 && request_id && may('audit:read') && (
            <a href={addressOf(['audit'], { request_id })}>in the audit log</a>
          )}
        </p>
        {retry && <Button onClick={retry}>Try again</Button>}
      </div>
    </div>
  );
}
