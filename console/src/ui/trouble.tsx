import { isOffline, Refusal } from '../api.ts';
import { addressOf } from '../router.ts';
import { may } from '../session.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Icon } from './icons.tsx';

function placeOf({ pointer, parameter }: { pointer?: string; parameter?: string }): string {
  return parameter ?? (pointer || '/');
}

/** An error in the words of the API, with the number by which its log can be searched. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === undefined || error === null) return null;
  // Loads run again with the connection, and a bar of its own tells that it is lost.
  if (retry && isOffline.value) return null;
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
          <strong>{title?.replace(/\w$/, '$&.')}</strong>{' '}
          {detail !== title && detail !== errors?.[0]?.detail && detail}
        </p>
        {errors && errors.length > 0 && (
          <ul>
            {errors.map((one) => (
              <li key={placeOf(one) + one.code}>
                <code>{placeOf(one)}</code> {one.detail}
              </li>
            ))}
          </ul>
        )}
        <p class="trouble-ids">
          {code && <code>{code}</code>}
          {request_id && (
            <span>
              request <code>{request_id}</code> <Copy text={request_id} what="request id" />
            </span>
          )}
          {/* The audit log contains refused calls. */}
          {status === 403 && request_id && may('audit:read') && (
            <a href={addressOf(['audit'], { request_id })}>in the audit log</a>
          )}
        </p>
        {retry && <Button onClick={retry}>Try again</Button>}
      </div>
    </div>
  );
}
