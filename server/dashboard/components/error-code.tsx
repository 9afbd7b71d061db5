import { Fragment } from 'preact'

/** An error code as a coloured badge, which can wrap after an underscore. */
export function ErrorCode({ code }: { readonly code: string }) {
  return (
    <span class="badge wraps" data-tone="bad">
      <span>
        {code.split('_').map((word, at) => (
          <Fragment key={at}>
            {at > 0 && (
              <>
                _<wbr />
              </>
            )}
            {word}
          </Fragment>
        ))}
      </span>
    </span>
  )
}
