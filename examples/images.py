"""A training on JPEGs, in the style of PyTorch's ImageNet example, for a machine without a GPU: workers decode, crop and
flip images; a step sleeps as long as a GPU would compute. Needs torch and Pillow (Debian: python3-torch, python3-pil).

    dlqueue run -- python3 examples/images.py --workers 2
"""

import argparse
import pathlib
import random
import tempfile
import time

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


def write_images(directory, count, size):
    """Noise over a gradient, which takes about as long to decode as a photograph of that size."""
    gradient = Image.linear_gradient("L").resize((size, size))
    for number in range(count):
        noise = Image.effect_noise((size, size), 40 + number)
        Image.merge("RGB", (gradient, noise, gradient)).save(directory / f"{number:03}.jpg", quality=90)


class Images(Dataset):
    def __init__(self, directory, length):
        self.paths = sorted(directory.glob("*.jpg"))
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        with Image.open(self.paths[index % len(self.paths)]) as file:
            image = file.convert("RGB")
        side = random.randint(224, min(image.size))
        left, top = (random.randint(0, length - side) for length in image.size)
        image = image.resize((224, 224), Image.BILINEAR, (left, top, left + side, top + side))
        if random.random() < 0.5:
            image = image.transpose(Image.FLIP_LEFT_RIGHT)
        pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
        return pixels.view(224, 224, 3).permute(2, 0, 1), index % 1000


def train(loader, epoch, step):
    ready = time.perf_counter()
    for number, (images, labels) in enumerate(loader):
        data = time.perf_counter() - ready
        time.sleep(step)
        whole = time.perf_counter() - ready
        ready += whole
        if number % 20 == 0:
            print(f"Epoch: [{epoch}][{number}/{len(loader)}]\tTime {whole:.3f}\tData {data:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="trains on JPEGs, without a GPU")
    parser.add_argument("-j", "--workers", type=int, default=1, metavar="N", help="processes that decode (default 1)")
    parser.add_argument("-b", "--batch-size", type=int, default=16, metavar="N", help="images of a batch (default 16)")
    parser.add_argument("--epochs", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--batches", type=int, default=200, metavar="N", help="of an epoch (default 200)")
    parser.add_argument("--step", type=float, default=0.1, metavar="SECONDS", help="of a batch (default 0.1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        write_images(pathlib.Path(directory), 64, 500)
        images = Images(pathlib.Path(directory), options.batches * options.batch_size)
        loader = DataLoader(images, options.batch_size, shuffle=True, num_workers=options.workers)
        begin = time.perf_counter()
        for epoch in range(options.epochs):
            train(loader, epoch, options.step)
        print(f"{options.epochs * len(loader) / (time.perf_counter() - begin):.2f} batches/s")


if __name__ == "__main__":
    main()
