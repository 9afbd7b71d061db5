import { fixedPage, type Pages } from './page.ts'

/** An animated canvas, a page that shows received input, and one that logs and throws. */
export const movingPages: Pages = {
  '/canvas': fixedPage(
    'Canvas',
    `<canvas width="640" height="360"></canvas><script>
       const context = document.querySelector('canvas').getContext('2d')
       let frame = 0
       const draw = () => {
         context.fillStyle = 'hsl(' + (frame % 360) + ' 60% 50%)'
         context.fillRect(0, 0, 640, 360)
         context.fillStyle = 'white'
         context.fillRect((frame * 4) % 640, 160, 40, 40)
         frame += 1
         requestAnimationFrame(draw)
       }
       draw()
     </script>`,
  ),
  '/input': fixedPage(
    'Input',
    `<input autofocus><output></output><script>
       const seen = []
       const note = (text) => { seen.push(text); document.querySelector('output').textContent = seen.join(' ') }
       addEventListener('mousedown', (event) => note('mouse@' + event.clientX + ',' + event.clientY))
       addEventListener('keydown', (event) => note('key:' + event.key))
       addEventListener('wheel', (event) => note('wheel:' + event.deltaY))
     </script>`,
  ),
  '/console': fixedPage(
    'Console',
    `<script>console.log('logged', { depth: 1 }); console.error('complained'); setTimeout(() => { throw new Error('thrown') })</script>`,
  ),
}
